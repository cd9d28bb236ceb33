export function reportLines(file: string, root: string): readonly string[];
