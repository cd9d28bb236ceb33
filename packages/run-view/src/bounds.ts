/** Bounds of what is shown of a run: depth, and length of commands. */

/** True if the depth exceeds the shown depth. */
export const isTooDeep = (depth: number, shown: number): boolean => shown > 0 && depth >= shown;

/** The beginning of a command, cut to a number of characters, with an ellipsis. */
export function cutCommand(command: string, length: number): string {
  if (length === 0 || command.length <= length) return command;
  const characters = [...command];
  return characters.length <= length ? command : `${characters.slice(0, length).join('')}…`;
}
