/** The rights of users that jobs have for themselves. */

/** The user of a job; null where that is the user of the agent. */
export type FileOwner = { readonly uid: number; readonly gid: number } | null;

/**
 * Does something with the rights of the job: an agent of root would else read and write for it whatever a path leads to. It has to be
 * synchronous, as all of this process has these rights meanwhile, and no others.
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
