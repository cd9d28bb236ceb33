/**
 * Tickets for reports with several files. Such a report needs scripts, workers and its other files. So it has an origin of its own, a second
 * port, which serves nothing else. The address has a random word, and counts for one report and a short time.
 */
import { randomBytes } from 'node:crypto';
import { OrchestratorError } from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Holder, type Leave, type ShareFractions, Shares } from '../../runtime/shares.ts';
import { type ReportFolder, readFolder } from './report-folder/read-folder.ts';
import { FolderError } from './report-folder/unpack.ts';

export const TICKET_LIMITS = {
  /** Time to look at a report. A page that goes on asks for another ticket. */
  lifeMs: 10 * 60_000,
  /** Reports that are unpacked at one time, each of which may take half a GiB of the disk. */
  reports: 8,
} as const;

export interface Ticket {
  readonly word: string;
  readonly folder: ReportFolder;
  readonly title: string;
  /** The origin of the page that asked for it. */
  readonly origin: string;
  readonly endsAtMs: number;
}

export interface TicketDeps {
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: ShareFractions;
}

export interface TicketRequest extends Pick<Ticket, 'title' | 'origin'> {
  readonly key: string;
  readonly holder: Holder;
}

export class ReportTickets {
  readonly #deps: TicketDeps;
  readonly #shares: Shares;
  readonly #tickets = new Map<string, Ticket>();
  #reports = 0;

  constructor(deps: TicketDeps) {
    this.#deps = deps;
    const things = 'reports that are looked at';
    this.#shares = new Shares({ total: TICKET_LIMITS.reports, things, ...deps.limits });
  }

  /** Unpacks the report. Throws `TooManyRequests`, `NotFound` and `Invalid`. */
  async add({ key, title, origin, holder }: TicketRequest): Promise<Ticket> {
    const leave = this.#enter(holder);
    try {
      const blob = await this.#deps.blobs.get(key);
      if (blob === null) throw new OrchestratorError('NotFound', 'The report is gone.');
      const folder = await readFolder(blob.content).catch(refuse);
      const word = randomBytes(24).toString('base64url');
      const endsAtMs = this.#deps.clock.now() + TICKET_LIMITS.lifeMs;
      const ticket = { word, folder, title, origin, endsAtMs };
      this.#tickets.set(word, ticket);
      setTimeout(() => void this.#end(ticket, leave), TICKET_LIMITS.lifeMs).unref();
      return ticket;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Null for a word that does not count, or no longer. */
  find(word: string): Ticket | null {
    const ticket = this.#tickets.get(word);
    return ticket === undefined || ticket.endsAtMs <= this.#deps.clock.now() ? null : ticket;
  }

  #enter(holder: Holder): Leave {
    if (this.#reports >= TICKET_LIMITS.reports) {
      throw new OrchestratorError(
        'TooManyRequests',
        `${TICKET_LIMITS.reports} reports are looked at, which is the limit. Try again in some minutes.`,
      );
    }
    const giveBack = this.#shares.take(holder);
    this.#reports += 1;
    return () => {
      this.#reports -= 1;
      giveBack();
    };
  }

  async #end({ word, folder }: Ticket, leave: Leave): Promise<void> {
    this.#tickets.delete(word);
    // Files that are being sent are sent to their end.
    await folder.close();
    leave();
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof FolderError)) throw error;
  const { message, advice } = error;
  throw new OrchestratorError('Invalid', message, { details: { error: `What to do: ${advice}` } });
}
