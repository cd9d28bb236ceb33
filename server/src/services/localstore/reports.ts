/** Answers about reports with several files: tickets, and the files behind them. */
import {
  formatTimestamp,
  OrchestratorError,
  REPORT_FOLDER_TYPE,
  type Status,
  status,
} from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestUrl } from '../../http/request-url.ts';
import { answerFolder } from './report-folder/answer-folder.ts';
import { addressOf, startPage, traceViewer } from './report-folder/start-page.ts';
import {
  ReportTickets,
  type Ticket,
  type TicketDeps,
  type TicketRequest,
} from './report-tickets.ts';

/** Traces that an answer names. */
const TRACES_MAX = 200;

export interface AskedReport extends Omit<TicketRequest, 'origin'> {
  readonly type: string | null;
}

export class Reports {
  readonly #port: number;
  readonly #tickets: ReportTickets;

  constructor(port: number, deps: TicketDeps) {
    this.#port = port;
    this.#tickets = new ReportTickets(deps);
  }

  /** Throws `Invalid` for a file that is no report folder. */
  async ticket(request: FastifyRequest, { type, ...asked }: AskedReport): Promise<Status> {
    if (type !== REPORT_FOLDER_TYPE) {
      throw new OrchestratorError(
        'Invalid',
        `Only files of the type ${REPORT_FOLDER_TYPE} have tickets.`,
      );
    }
    const { origin, protocol, hostname } = requestUrl(request);
    const ticket = await this.#tickets.add({ ...asked, origin });
    const base = `${protocol}//${hostname}:${this.#port}/${ticket.word}/`;
    return status('Created', 'Ticket created.', shown(ticket, base));
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [, word = '', path = null] =
      /^\/([\w-]{1,64})(?:\/(.*))?$/s.exec(request.originalUrl) ?? [];
    const ticket = this.#tickets.find(word);
    if (ticket === null) {
      throw new OrchestratorError(
        'NotFound',
        'The address of this report no longer counts. What to do: open the report again.',
      );
    }
    if (path === null) return reply.redirect(`/${word}/`);
    const { origin } = requestUrl(request);
    const { folder, title } = ticket;
    const served = { folder, title, base: `${origin}/${word}/`, frames: `'self' ${ticket.origin}` };
    const { raw } = reply.hijack();
    await answerFolder(served, path, request.raw, raw).catch(() => raw.destroy());
    return reply;
  }
}

function shown({ folder, endsAtMs }: Ticket, base: string) {
  const paths = [...folder.files.keys()];
  const first = startPage(paths);
  const traces = paths.flatMap((path) => {
    const url = traceViewer(path, paths, base);
    return url === null ? [] : [{ path, url }];
  });
  return {
    url: base,
    page: first === null ? null : `${base}${addressOf(first)}`,
    traces: traces.slice(0, TRACES_MAX),
    files: paths.length,
    left_out: folder.leftOut.length,
    expires: formatTimestamp(endsAtMs),
  };
}
