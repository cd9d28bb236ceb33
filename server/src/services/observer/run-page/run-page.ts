/** Answers to the pages about one run. */
import type { Status } from '@tutti/manifests';
import type { Store } from '../../../store/store.ts';
import { RunStories } from './run-stories.ts';
import { type ViewQuestion, viewOf } from './view.ts';

export class RunPage {
  readonly #store: Store;
  readonly #stories: RunStories;

  constructor(store: Store) {
    this.#store = store;
    this.#stories = new RunStories(store);
  }

  view(question: ViewQuestion): Promise<Status> {
    return viewOf({ store: this.#store, stories: this.#stories }, question);
  }
}
