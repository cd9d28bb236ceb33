/** Collections of Postman, which Newman runs. */
import type { Detector, Finding } from './finding.ts';
import { packageOf, preparationsOf } from './javascript.ts';

const COLLECTION = /\.postman_collection\.json$/;
const ENVIRONMENT = /\.postman_environment\.json$/;

export const findNewman: Detector = (folder, surroundings) => {
  const collections = folder.entries.filter((name) => COLLECTION.test(name));
  if (collections.length === 0) return [];
  const environments = folder.entries.filter((name) => ENVIRONMENT.test(name));
  const place = [folder, surroundings.root].find(
    (each) => packageOf(each)?.dependencies.has('newman') === true,
  );
  const found = place === undefined ? null : packageOf(place);
  const needs: Pick<Finding, 'programs' | 'preparations'> =
    found === null
      ? { programs: ['npx', 'newman'], preparations: [] }
      : { programs: ['node', 'npx'], preparations: preparationsOf(folder, found, surroundings) };
  return collections.map((collection) => ({
    job: 'newman',
    title: `Newman, by ${collection}`,
    ...needs,
    ...call(collection, environments),
    isForBelow: false,
  }));
};

/** Which of several environments is meant, the files do not say. */
function call(
  collection: string,
  environments: readonly string[],
): Pick<Finding, 'step' | 'notes' | 'undone'> {
  const [environment] = environments;
  const only = environments.length === 1 && environment !== undefined ? { environment } : {};
  const step = { uses: 'postman/postman@v1', with: { collection, ...only } };
  if (environments.length < 2) return { step, notes: [], undone: [] };
  const names = environments.join(', ');
  return {
    step,
    notes: [`Write the input "environment" for one of ${names}.`],
    undone: [`Chose no environment for ${collection}: there are ${names}.`],
  };
}
