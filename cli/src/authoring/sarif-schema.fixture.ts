/**
 * The part of SARIF 2.1.0 (section 3) that tests check our output against. Also types of its properties. Another property fails the test,
 * so that its author first looks it up there.
 */

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items });
const unique = (items: object) => ({ ...list(items), uniqueItems: true });

const text = { type: 'string' };
const position = { type: 'integer', minimum: 1 };
/** RFC 3986, without a scheme unless it has one; never with a backslash or a blank. */
const uriReference = { type: 'string', pattern: "^(?:[\\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*$" };

const multiformatMessageString = object({ text, markdown: text }, ['text']);
const message = object({ text, markdown: text }, ['text']);
const artifactLocation = object({ uri: uriReference });
const artifactContent = object({ text });

const region = object(
  {
    startLine: position,
    startColumn: position,
    endLine: position,
    endColumn: position,
    snippet: artifactContent,
  },
  // By line and column: section 3.30.2.
  ['startLine'],
);
const physicalLocation = object({ artifactLocation, region }, ['artifactLocation']);
const logicalLocation = object({ name: text, fullyQualifiedName: text });
const location = object({ physicalLocation, logicalLocations: unique(logicalLocation) });

const reportingDescriptor = object(
  { id: text, shortDescription: multiformatMessageString, help: multiformatMessageString },
  ['id'],
);
const toolComponent = object({ name: text, version: text, rules: unique(reportingDescriptor) }, [
  'name',
]);

const level = { enum: ['none', 'note', 'warning', 'error'] };
const result = object(
  {
    ruleId: text,
    level,
    message,
    locations: list(location),
  },
  ['message'],
);

/** Section 3.58. */
const notification = object({ level, message, locations: list(location) }, ['message']);
/** Section 3.20. */
const invocation = object(
  { executionSuccessful: { type: 'boolean' }, toolExecutionNotifications: list(notification) },
  ['executionSuccessful'],
);

const run = object(
  {
    tool: object({ driver: toolComponent }, ['driver']),
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    artifacts: unique(object({ location: artifactLocation })),
    results: list(result),
    invocations: list(invocation),
  },
  // Without `results`, a run means that the tool did not run (section 3.14.23).
  ['tool', 'results'],
);

export const sarifSchema = object(
  {
    $schema: { type: 'string', pattern: '^https://' },
    version: { const: '2.1.0' },
    runs: list(run),
  },
  ['version', 'runs'],
);
