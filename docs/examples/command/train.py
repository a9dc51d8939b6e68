"""A small training: gradient descent on a quadratic function. Prints its results as one line of JSON."""

import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--batch", type=int, required=True)
parser.add_argument("--optimizer", choices=["sgd", "momentum"], required=True)
args = parser.parse_args()

x, velocity, steps = 8.0, 0.0, 0
while abs(x) > 1e-3 and steps < 200:
    gradient = 2 * x * (1 + 1 / args.batch)
    velocity = (0.5 if args.optimizer == "momentum" else 0) * velocity - args.lr * gradient
    x += velocity
    steps += 1
if abs(x) > 100:
    raise SystemExit(f"diverged after {steps} steps")
print(json.dumps({"samples": steps * args.batch, "steps": steps, "error": abs(x)}))
