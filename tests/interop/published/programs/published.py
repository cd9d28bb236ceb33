"""What the toolkit says of workflows: the schema, the checks of a start, and the values of expressions. JSON in, JSON out."""

import json
import sys

from opentf.commons.expressions import evaluate_str
from opentf.commons.schemas import WORKFLOW, get_schema, validate_workflow


def problem_of(workflow):
    try:
        validate_workflow(workflow)
    except Exception as err:
        return str(err) or repr(err)
    return None


def value_of(text, contexts):
    try:
        return {'value': evaluate_str(text, contexts)}
    except Exception as err:
        return {'error': repr(err)}


COMMANDS = {
    'schema': lambda given: get_schema(WORKFLOW),
    'problems': lambda given: [problem_of(each) for each in given],
    'values': lambda given: [value_of(each, given['contexts']) for each in given['texts']],
}

json.dump(COMMANDS[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
