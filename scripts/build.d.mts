export function ensureBuilt(root: string, node: string): Promise<void>;
export function ensurePage(root: string, node: string): Promise<void>;
