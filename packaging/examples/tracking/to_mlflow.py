#!/usr/bin/env python3
"""Imports a result of ppsweep into MLflow: a run for the result, and one nested run for each of its best rows.

    packaging/examples/tracking/to_mlflow.py outputs/fine.csv.gz --experiment sweeps --rows 20

Needs the package mlflow. The run states how many rows the result has."""

import argparse

from ppsweep_result import Result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="NAME.csv.gz or NAME.csv, with its manifest beside it")
    parser.add_argument("--experiment", default="ppsweep")
    parser.add_argument("--objective", help="the column to rank by (the main result of the kernel)")
    parser.add_argument("--rows", type=int, default=20, help="nested runs: the best rows (20)")
    parser.add_argument("--files", action="store_true", help="also store the result and its manifest")
    args = parser.parse_args()

    import mlflow  # only here: reading a result does not need it

    result = Result(args.result)
    parameters = set(result.manifest["parameters"])
    best = result.best(args.rows, args.objective)
    mlflow.set_experiment(args.experiment)
    with mlflow.start_run(run_name=result.manifest["name"]):
        mlflow.log_params(result.settings())
        mlflow.set_tags({"objective": result.objective(args.objective)[0], "rows imported": len(best)})
        mlflow.log_metrics(numbers(best[0], parameters) if best else {})
        if args.files:
            mlflow.log_artifact(result.path)
            mlflow.log_artifact(result.manifest_path)
        for place, row in enumerate(best, 1):
            with mlflow.start_run(run_name=f"best {place}", nested=True):
                mlflow.log_params({name: value for name, value in row.items() if name in parameters})
                mlflow.log_metrics(numbers(row, parameters))
    print(f"{len(best)} of {result.manifest['rows']} rows imported")


def numbers(row, parameters):
    """Returns the results of a row that are numbers."""
    return {name: value for name, value in row.items()
            if name not in parameters and isinstance(value, (int, float))}


if __name__ == "__main__":
    main()
