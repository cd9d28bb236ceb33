/** Lays a large graph out beside the page. */
import { foldJobs, layOut } from '@tutti/run-graph';
import type { LayoutQuestion } from './graph-layout.ts';

addEventListener('message', ({ data }: MessageEvent<LayoutQuestion & { number: number }>) => {
  const { number, jobs, opened } = data;
  postMessage({ number, answer: layOut(foldJobs(jobs, { opened })) });
});
