import type { Script } from 'node:vm';

export interface Program {
  runProcess(): Promise<void>;
}

export function scriptIn(folder: string): string;
export function codeIn(folder: string): string;

export interface ScriptModule {
  /** Path, as errors show it. */
  readonly file: string;
  readonly text: string;
  readonly require: NodeJS.Require;
}

export function readScript(folder: string): ScriptModule;
export function runModule(
  module: ScriptModule,
  code?: Buffer,
): { readonly exported: Program; readonly script: Script };
export function loadScript(folder: string): Program | null;
export function keepCode(script: Script, place: string): void;

export type SourceStamp = readonly [path: string, mtimeMs: number, size: number];

export interface BuildRecord {
  /** Folder of the program, relative to the folder of builds. */
  readonly folder: string;
  /** Paths from the folder of builds. */
  readonly sources: readonly SourceStamp[];
}

export function readRecord(dist: string): BuildRecord | null;
export function recordIn(dist: string): string;
export function builtProgram(dist: string): string | null;
export function stampOf(dist: string, path: string): SourceStamp;
