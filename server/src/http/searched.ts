/** Reads that look at many rows for a page. */
import type { FastifyRequest } from 'fastify';
import { enterSearch } from './answer-memory.ts';

/** One search of a caller at a time, while others search. Its room is free again before the answer asks for some. */
export async function searched<Result>(
  request: FastifyRequest,
  find: () => Promise<Result>,
): Promise<Result> {
  const held = await enterSearch(request);
  try {
    return await find();
  } finally {
    held.leave();
  }
}
