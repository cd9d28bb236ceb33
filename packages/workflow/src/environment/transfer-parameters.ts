/** Parameters of workflow commands that move files: which ones there are, and what is wrong with those of a step. */
import { nearestName } from '@tutti/manifests/documents';
import { outputMessages } from './output-messages.ts';
import type { TransferKind } from './workflow-command.ts';

type Values = Readonly<Record<string, string>>;

/** Parameters that choose the files of a transfer to the environment. Other transfers pass all their parameters on. */
const CHOOSING: Readonly<Partial<Record<TransferKind, readonly string[]>>> = {
  download: ['file', 'pattern'],
  put: ['file'],
};

/** Log lines about them. */
export function wrongParameters(transfer: TransferKind, values: Values): readonly string[] {
  const known = CHOOSING[transfer];
  if (known === undefined) return [];
  const wrong = Object.entries(values).flatMap(([name, value]) => {
    if (!known.includes(name)) {
      return [outputMessages.parameterUnknown(name, transfer, nearestName(name, known))];
    }
    return value === '' ? [outputMessages.parameterEmpty(name)] : [];
  });
  const isBoth = transfer === 'download' && 'file' in values && 'pattern' in values;
  return isBoth ? [...wrong, outputMessages.fileAndPattern()] : wrong;
}

export const isChoosing = (transfer: TransferKind): boolean => CHOOSING[transfer] !== undefined;

const FILE_PARAMETERS = ['type', 'name'];

/** Other parameters are handed on with the file, so only a similar name is reported. */
export function misspeltParameters(command: TransferKind, parameters: Values): readonly string[] {
  const left = FILE_PARAMETERS.filter((name) => parameters[name] === undefined);
  return Object.keys(parameters).flatMap((name) => {
    if (FILE_PARAMETERS.includes(name)) return [];
    const meant = nearestName(name, left);
    return meant === null ? [] : [outputMessages.parameterMisspelt(name, command, meant)];
  });
}
