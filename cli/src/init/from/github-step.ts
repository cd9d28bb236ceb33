/** Translates a step of GitHub Actions. */
import { variablesOf, withoutForeign } from './github-expressions.ts';
import { asFolder, translatedScript } from './github-shell.ts';
import { given, type Undone, type Values, valuesOf } from './translation.ts';

interface Context {
  readonly place: string;
  readonly undone: Undone;
  readonly checkout: Values;
  /** The folder of the sources; null for a job that has none. */
  readonly sources: string | null;
  /** Names of the variables of the workflow and of the job. */
  readonly variables: readonly string[];
}

const KEYS = [
  ...['name', 'id', 'if', 'run', 'uses', 'with', 'shell', 'env', 'working-directory'],
  ...['timeout-minutes', 'continue-on-error'],
];

/** None if the step has no equivalent: that is named. */
export function githubStep(step: Values, context: Context): readonly Values[] {
  const { place, undone, sources } = context;
  if (step.uses !== undefined) return action(step, context);
  const run = withoutForeign(step.run, place, undone);
  if (typeof run !== 'string') return [];
  undone.keys(place, step, KEYS);
  const folder = withoutForeign(step['working-directory'], place, undone);
  const directory = typeof folder === 'string' ? asFolder(folder) : undefined;
  const own = variablesOf(step.env, `${place}: env`, undone);
  const known = [...context.variables, ...Object.keys(own)];
  const script = { run, variables: own };
  return [
    given({
      ...shared(step, context),
      ...translatedScript(script, { shell: step.shell, place, undone, known }),
      shell: step.shell,
      'working-directory':
        directory !== undefined && sources !== null ? `${sources}/${directory}` : directory,
    }),
  ];
}

const shared = (step: Values, { place, undone }: Context): Values =>
  given({
    name: withoutForeign(step.name, `${place}: name`, undone),
    id: step.id,
    if: withoutForeign(step.if, `${place}: if`, undone),
    'timeout-minutes': step['timeout-minutes'],
    'continue-on-error': step['continue-on-error'],
  });

function action(step: Values, context: Context): readonly Values[] {
  const { place, undone, checkout, sources } = context;
  const uses = String(step.uses);
  const inputs = valuesOf(step.with);
  if (/^actions\/checkout@/.test(uses)) {
    undone.keys(`${place}: with`, inputs, ['fetch-depth']);
    return [checkout];
  }
  const upload = /^actions\/upload-artifact@/.test(uses);
  if (upload && typeof inputs.path === 'string') {
    undone.keys(`${place}: with`, inputs, ['name', 'path', 'if-no-files-found', 'retention-days']);
    const { name, path, 'if-no-files-found': ifNone } = inputs;
    const wanted = withoutForeign(
      given({ name, path, 'if-no-files-found': ifNone }),
      place,
      undone,
    );
    const directory = sources === null ? {} : { 'working-directory': sources };
    return [
      { ...shared(step, context), uses: 'actions/upload-artifact@v1', with: wanted, ...directory },
    ];
  }
  const setup = /^actions\/setup-([\w-]+)@/.exec(uses)?.[1];
  undone.add(
    place,
    setup === undefined
      ? `left out, since the action ${uses} has no equivalent.`
      : `left out: the machine has to have ${setup}; "runs-on" can name a tag for it.`,
  );
  return [];
}
