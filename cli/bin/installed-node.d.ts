export const NODE_MAJOR_MIN: number;
export const NODE_PACKAGES: Readonly<Record<string, string>>;
export function nodeIn(platform: string): string;
export function installedNode(): string | null;
export function isNodeNewEnough(): boolean;
