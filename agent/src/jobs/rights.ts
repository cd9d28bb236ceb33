/** Code of the agent that runs with the rights of the user of a job. */

/** The user of a job; null for the user of the agent. */
export type FileOwner = { readonly uid: number; readonly gid: number } | null;

/**
 * Runs code with the rights of the job. With its own rights, root, the agent would follow a path to any file. The code is synchronous,
 * because the whole process has only these rights meanwhile.
 */
export function withRightsOf<Result>(owner: FileOwner, work: () => Result): Result {
  if (owner === null) return work();
  const { getgroups, setgroups, getegid, setegid, geteuid, seteuid } = process;
  if (!getgroups || !setgroups || !getegid || !setegid || !geteuid || !seteuid) {
    throw new Error('This system has no users whose rights could be taken.');
  }
  const [groups, gid, uid] = [getgroups(), getegid(), geteuid()];
  try {
    // The user last: without root, nothing else can be changed.
    setgroups([owner.gid]);
    setegid(owner.gid);
    seteuid(owner.uid);
    return work();
  } finally {
    seteuid(uid);
    setegid(gid);
    setgroups(groups);
  }
}
