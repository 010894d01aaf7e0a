"""Runs the Python verifier over many bundles in one process: each line of input is a list of command words."""
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(verify)

for line in sys.stdin:
    try:
        path, options = verify.read_command(json.loads(line))
        report = verify.verify(path, options)
        answer = {"exit": report["exit_code"], "verdict": report["verdict"],
                  "codes": sorted({one["code"] for one in report["breaks"]})}
    except verify.Usage as fault:
        answer = {"exit": 2, "verdict": "USAGE", "codes": [], "told": str(fault)}
    print(json.dumps(answer), flush=True)
