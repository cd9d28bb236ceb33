/** Random environments, and random tags of jobs. Some environment has each tag, except tags that none should have. */
import type { ChannelOs } from '@tutti/manifests';
import type { EnvironmentPlan, TagsPlan } from './plan.ts';
import type { Random } from './random.ts';

const ENVIRONMENTS_MAX = 3;
const SYSTEMS: readonly ChannelOs[] = ['linux', 'linux', 'macos', 'windows'];
const TOOLS = ['node', 'gpu'];
const NOWHERE = 'nowhere';
const FORMS: readonly TagsPlan['form'][] = ['plain', 'plain', 'list', 'mixed', 'status'];

/** One of the environments that fits all tags so far, and whether these tell its system. */
export interface Fitting {
  readonly environment: EnvironmentPlan;
  readonly isSystemKnown: boolean;
}

export class EnvironmentMaker {
  readonly all: readonly EnvironmentPlan[];
  /** Tags that the operator demands of environments that fetch files: all environments have them. */
  readonly downloadTags: readonly string[];
  readonly #random: Random;
  readonly #disturbed: boolean;

  constructor(random: Random, disturbed: boolean) {
    this.#random = random;
    this.#disturbed = disturbed;
    this.downloadTags = random.chance(0.5) ? ['git'] : [];
    const count = random.between(1, ENVIRONMENTS_MAX);
    this.all = Array.from({ length: count }, () => {
      const os = random.pick(SYSTEMS);
      return { os, tags: [os, ...this.#some(TOOLS), ...this.downloadTags] };
    });
  }

  /** Null where tags say nothing so far. */
  fitting(around: Fitting | null): Fitting {
    return around ?? { environment: this.#random.pick(this.all), isSystemKnown: false };
  }

  tags({ environment }: Fitting): TagsPlan {
    const random = this.#random;
    if (this.#disturbed && random.chance(0.02)) {
      return { names: this.#some([NOWHERE]), form: 'broken' };
    }
    const none = this.#disturbed && random.chance(0.01) ? [NOWHERE] : [];
    const names = random.chance(0.7) ? this.#some(environment.tags) : [];
    return { names: [...names, ...none], form: random.pick(FORMS) };
  }

  /** Values of a matrix that are tags themselves. */
  systems(around: Fitting | null): readonly string[] {
    if (around !== null) return [around.environment.os];
    return [...new Set(this.all.map(({ os }) => os))];
  }

  #some(tags: readonly string[]): readonly string[] {
    return tags.filter(() => this.#random.chance(0.5));
  }
}

/** The environments that remain for a job that adds these tags. */
export function narrowed(fitting: Fitting, around: Fitting | null, tags: TagsPlan): Fitting | null {
  if (around === null && tags.names.length === 0) return null;
  const { environment } = fitting;
  const isSystemKnown = fitting.isSystemKnown || tags.names.includes(environment.os);
  return { environment, isSystemKnown };
}
