"""Holds documents against the schemas of the toolkit that it runs on: reads one `{schema, document}` a line, and prints what is wrong with each."""

import json
import sys

from opentf.commons import validate_schema

for line in sys.stdin:
    asked = json.loads(line)
    try:
        valid, extra = validate_schema(asked['schema'], asked['document'])
        problem = None if valid else extra
    except OSError:
        problem = 'There is no such schema.'
    print(json.dumps(problem), flush=True)
