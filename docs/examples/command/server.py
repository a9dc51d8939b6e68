"""Answers points line by line: CSV in, CSV out, with a header each."""

import sys

names = sys.stdin.readline().strip().split(",")
print("area,ratio", flush=True)
for line in sys.stdin:
    point = dict(zip(names, map(float, line.split(","))))
    print(point["width"] * point["height"], point["width"] / point["height"], sep=",", flush=True)
