/**
 * Tests of the pure core as sentences: `given(manifest, ...what happened).when(what happens).follows(...)`. `follows` compares events in
 * the short form of `shortForm`. The events themselves and the run are there for a closer look.
 */
import { formatTimestamp, isRunEvent, type LoggedEvent, type RunEvent } from '@tutti/manifests';
import { expect } from 'vitest';
import { type Decision, decide } from '../decide.ts';
import type { DecisionContext } from '../events.ts';
import { evolve } from '../evolve.ts';
import { emptyRun, type Run } from '../run.ts';
import { deepFreeze } from './deep-freeze.ts';
import { fingerprint } from './fingerprint.ts';
import { type Happening, NOON_MS } from './inputs.ts';
import { shortForm } from './short-form.ts';

interface Outcome {
  readonly decision: Decision;
  /** All events that follow, the input itself first. */
  readonly events: readonly RunEvent[];
  readonly run: Run;
  follows(...expected: readonly string[]): Outcome;
  refuses(why: string): Outcome;
}

interface Given {
  readonly run: Run;
  readonly log: readonly RunEvent[];
  when(happening: Happening): Outcome;
}

export function given(...happened: readonly Happening[]): Given {
  const stage = new Stage();
  for (const happening of happened) stage.accept(happening);
  return {
    run: stage.run,
    log: stage.log,
    when: (happening) => outcomeOf(stage.decide(happening)),
  };
}

function outcomeOf({ decision, before }: { decision: Decision; before: Run }): Outcome {
  const events = decision.outcome === 'accepted' ? decision.events.filter(isRunEvent) : [];
  const outcome: Outcome = {
    decision,
    events,
    run: decision.outcome === 'accepted' ? decision.run : before,
    follows(...expected) {
      expect(events.map(shortForm)).toEqual(expected);
      return outcome;
    },
    refuses(why) {
      expect(decision).toEqual({ outcome: 'refused', why });
      return outcome;
    },
  };
  return outcome;
}

class Stage {
  run: Run = emptyRun;
  readonly log: RunEvent[] = [];
  #nowMs = NOON_MS;
  #ids = 0;

  accept(happening: Happening): void {
    const { decision } = this.decide(happening);
    if (decision.outcome === 'refused') throw new Error(`Refused: ${decision.why}.`);
    this.run = deepFreeze(decision.run);
    this.log.push(...decision.events.filter(isRunEvent));
  }

  /** Decides twice, which must give the same, on a run that cannot be changed. */
  decide(happening: Happening): { readonly decision: Decision; readonly before: Run } {
    if (happening.minute !== undefined) this.#nowMs = NOON_MS + happening.minute * 60_000;
    const input = deepFreeze(happening.input(this.run, this.#nowMs));
    const firstId = this.#ids;
    const again = decide(this.run, input, this.#context());
    this.#ids = firstId;
    const decision = decide(this.run, input, this.#context());
    expect(again).toEqual(decision);
    if (decision.outcome === 'accepted') {
      const folded = decision.events.map(throughJson).reduce(evolve, this.run);
      expect(fingerprint(folded)).toBe(fingerprint(decision.run));
    }
    return { decision, before: this.run };
  }

  #context(): DecisionContext {
    return { at: formatTimestamp(this.#nowMs), newId: () => `id-${++this.#ids}` };
  }
}

/** As it comes back from the store. */
const throughJson = (event: LoggedEvent): LoggedEvent => JSON.parse(JSON.stringify(event));
