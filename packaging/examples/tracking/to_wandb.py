#!/usr/bin/env python3
"""Imports a result of ppsweep into Weights & Biases: one run with its settings, best rows and files.

    packaging/examples/tracking/to_wandb.py outputs/fine.csv.gz --project sweeps --rows 1000

Needs the package wandb. The table has the best --rows rows; the run states how many rows the result has."""

import argparse

from ppsweep_result import Result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="NAME.csv.gz or NAME.csv, with its manifest beside it")
    parser.add_argument("--project", default="ppsweep")
    parser.add_argument("--objective", help="the column to rank by (the main result of the kernel)")
    parser.add_argument("--rows", type=int, default=1000, help="rows of the table (1000)")
    parser.add_argument("--files", action="store_true", help="also upload the result and its manifest")
    args = parser.parse_args()

    import wandb  # only here: reading a result does not need it

    result = Result(args.result)
    column, _ = result.objective(args.objective)
    best = result.best(args.rows, args.objective)
    with wandb.init(project=args.project, name=result.manifest["name"], job_type="sweep",
                    config=result.settings()) as run:
        table = wandb.Table(columns=result.columns, data=[[row[c] for c in result.columns] for row in best])
        run.log({f"best rows by {column}": table})
        run.summary["rows of the result"] = result.manifest["rows"]
        run.summary["rows of the table"] = len(best)
        for name, value in (best[0] if best else {}).items():
            run.summary["best." + name] = value
        if args.files:
            artifact = wandb.Artifact(f"{result.manifest['name']}-{result.manifest['digest']}", type="result")
            artifact.add_file(result.path)
            artifact.add_file(result.manifest_path)
            run.log_artifact(artifact)
    print(f"{len(best)} of {result.manifest['rows']} rows imported")


if __name__ == "__main__":
    main()
