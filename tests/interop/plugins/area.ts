/** Features of plugins with the toolkits of all versions, on our server. */
import type { Feature, Subject } from '../subjects.ts';

export interface PluginSubject extends Subject {
  /** Versions of configuration files, for providers and channels, and for all others. */
  readonly config: { readonly provider: string; readonly service: string };
  /** The version in which it asks for commands. */
  readonly asks: string;
  /** Its toolkit calls generators. */
  readonly generates: boolean;
}

/** The first one: commands of version v1alpha1. */
const FIRST: PluginSubject = {
  program: 'opentf-toolkit',
  version: '0.35.0',
  config: { provider: 'v1alpha1', service: 'v1alpha1' },
  asks: 'v1alpha1',
  generates: false,
};
/** The toolkit of 2024. It asks for commands of version v1beta1, as all of 2023 and 2024 do. */
const MIDDLE: PluginSubject = {
  program: 'opentf-toolkit',
  version: '0.55.0',
  config: { provider: 'v1beta1', service: 'v1beta2' },
  asks: 'v1beta1',
  generates: false,
};
const LAST: PluginSubject = { ...MIDDLE, version: '0.64.0', asks: 'v1', generates: true };
const NIGHTLY: PluginSubject = {
  ...LAST,
  program: 'opentf-toolkit-nightly',
  version: '0.65.0.dev1451',
};

/** The toolkit that probably runs beside it: from before 2025 or after. */
export const otherGeneration = ({ asks }: PluginSubject): PluginSubject =>
  asks === LAST.asks ? MIDDLE : LAST;

const of = (without: readonly Subject[], ...texts: readonly string[]): readonly Feature[] =>
  texts.map((text) => ({ text, without }));

export const PLUGIN_AREA = {
  title: 'Plugins',
  about:
    'The tests write the plugins, each on an unmodified toolkit: a provider, a generator, a handler of channels and a publisher. They start with the configuration files of the toolkit.',
  subjects: [FIRST, MIDDLE, LAST, NIGHTLY],
  features: [
    ...of(
      [],
      'answers a step with steps, which attach files and set variables',
      'answers a step on an environment that the job names no tags for',
      'refuses a call or fails at it, and the run ends with what it says',
      'takes publications without a token from its own machine',
      'works in one run with a plugin of another generation',
      'goes on with its subscription when it is killed and started again',
      'goes on when it is started a second time, which fails',
      'shares its subscription with another instance behind the same name',
      'works on when the server is killed and started again',
      'cancels its subscription when it is interrupted',
    ),
    ...of(
      [FIRST],
      'chooses events by expressions on labels and fields',
      'finds its expressions in the listing as it wrote them',
    ),
    ...of(
      [],
      'gives a bundle its jobs',
      'gives a bundle outputs, with and without descriptions',
      'gives a bundle no jobs, and the run ends with what it says',
    ),
    ...of(
      [],
      'hears of the end of a run, and publishes notifications about it',
      'checks events of all kinds by the schemas of its toolkit, and refuses none',
      'publishes a workflow, which those get who asked for it, and which starts nothing',
    ),
    ...of([FIRST], 'puts the files of a workflow on its environment'),
    ...of(
      // Before 0.60 toolkits knew no artifacts.
      [FIRST, MIDDLE],
      'downloads the artifacts that its own steps and those of agents uploaded',
    ),
    ...of(
      [],
      'offers an environment, and jobs run on it',
      'attaches files, which it leaves where the server reads them',
      'takes the jobs that wait for it one after the other',
      'stops its command when the workflow is cancelled',
    ),
  ],
};
