/**
 * Rules of the published schema about which keys go together. The server reports these in its own sentences, because messages
 * derived from a schema would help nobody.
 */
import { TAKEN_PARTS } from '../resources.ts';
import { HOOK_STEP_COMPANIONS, hookStepSchema, WORKSPACE_STEPS } from '../workflow-manifest.ts';

/** A JSON Schema that is combined with others. */
type EditorRule = Readonly<Record<string, unknown>>;

const has = (key: string): EditorRule => ({ required: [key] });

/** Forbids keys that editors still complete and explain. */
const without = (...keys: readonly string[]): EditorRule => ({
  properties: Object.fromEntries(keys.map((key) => [key, false])),
});

const conditional = (condition: EditorRule, then: EditorRule, otherwise?: EditorRule) => ({
  if: condition,
  then,
  ...(otherwise === undefined ? {} : { else: otherwise }),
});

const alone = (key: string): EditorRule => {
  const others = Object.keys(hookStepSchema.properties).filter(
    (name) => name !== key && !HOOK_STEP_COMPANIONS.includes(name),
  );
  return conditional(has(key), without(...others));
};

const stepsOf = (list: string, step: EditorRule): EditorRule => ({
  properties: { [list]: { items: step } },
});
const hasEvent = (event: EditorRule): EditorRule => ({
  properties: { events: { contains: event } },
});
const ofChannel = (channel: string): EditorRule => ({
  required: ['channel'],
  properties: { channel: { const: channel } },
});

const workspaceRules = Object.entries(WORKSPACE_STEPS).map(([key, channel]) =>
  conditional(hasEvent(ofChannel(channel)), {}, stepsOf('before', without(key))),
);

/** Rules by section of the reference. */
export const editorRules: Readonly<Record<string, readonly EditorRule[]>> = {
  workflow: [
    {
      properties: {
        inputs: { propertyNames: { pattern: '^(?!\\{)' } },
        strategy: without('matrix'),
        resources: { properties: { files: { items: { not: { enum: TAKEN_PARTS } } } } },
      },
    },
  ],
  job: [
    conditional({ anyOf: [has('steps'), has('jobs')] }, without('with')),
    conditional({ anyOf: [has('generator'), has('uses')] }, without('outputs')),
  ],
  step: [conditional(has('run'), without('with')), conditional(has('uses'), without('shell'))],
  hook: [stepsOf('after', without(...Object.keys(WORKSPACE_STEPS))), ...workspaceRules],
  'hook-step': Object.keys(WORKSPACE_STEPS).map(alone),
  input: [
    conditional(
      { required: ['type'], properties: { type: { const: 'choice' } } },
      has('options'),
      without('options'),
    ),
  ],
};
