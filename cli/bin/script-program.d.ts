import type { Script } from 'node:vm';

export interface Program {
  runProcess(): Promise<void>;
}

export function scriptIn(folder: string): string;
export function codeIn(folder: string): string;
export function loadScript(folder: string): Program | null;
export function runScript(
  folder: string,
  code?: Buffer,
): { readonly exported: Program; readonly script: Script };
