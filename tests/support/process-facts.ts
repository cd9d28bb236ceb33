/** Facts of the system about a process. Only Linux provides them; elsewhere only the heap limit bounds it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const isReported = process.platform === 'linux';

/** Peak memory in bytes; 0 if unknown. */
export function peakMemory(pid: number): number {
  return isReported ? field(`/proc/${pid}/status`, 'VmHWM') * 1024 : 0;
}

/** Resident memory in bytes; 0 if unknown. */
export function residentMemory(pid: number): number {
  return isReported ? field(`/proc/${pid}/status`, 'VmRSS') * 1024 : 0;
}

/** Bytes read so far, from files and connections; 0 if unknown. */
export function bytesRead(pid: number): number {
  return isReported ? field(`/proc/${pid}/io`, 'rchar') : 0;
}

/** Length of a tick on every Linux, in milliseconds. */
const TICK_MS = 10;

/** Processor time so far, in milliseconds; 0 if unknown. */
export function processorMs(pid: number): number {
  if (!isReported) return 0;
  // The name of the program, in brackets, may have blanks.
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=\S [\d-])/);
  const [user = '0', system = '0'] = rest.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}

function field(file: string, name: string): number {
  const [, value] = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  if (value === undefined) throw new Error(`${file} has no ${name}.`);
  return Number(value);
}

/** Its open files below a folder; none if unknown. */
export function openFiles(pid: number, folder: string): readonly string[] {
  if (!isReported) return [];
  const handles = `/proc/${pid}/fd`;
  return readdirSync(handles)
    .map((name) => targetOf(join(handles, name)))
    .filter((path) => path.startsWith(folder));
}

/** Empty when it was closed meanwhile. */
function targetOf(handle: string): string {
  try {
    return readlinkSync(handle);
  } catch {
    return '';
  }
}

/** The ids of the processes that have this among the words of their command. */
export function processesWith(text: string): readonly number[] {
  const listing = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  const lines = listing.split('\n').filter((line) => line.includes(text));
  return lines.map((line) => Number.parseInt(line, 10));
}
