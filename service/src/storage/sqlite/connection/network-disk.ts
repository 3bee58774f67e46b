import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'

/**
 * Types of file systems that lie on another machine, as statfs(2) returns them: linux/magic.h, and for
 * those outside of Linux the list of `stat` (https://github.com/coreutils/coreutils/blob/master/src/stat.c).
 */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB (CIFS)'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
])

/** FUSE says nothing of where the files are; the mount names its program. */
const FUSE = 0x65735546
const NETWORK_PROGRAMS =
  /^fuse\.(sshfs|s3fs|goofys|gcsfuse|rclone|glusterfs|ceph-fuse|juicefs|curlftpfs|davfs2?|nfs|smbnetfs|cifs|moosefs|mfs.*|seaweedfs|mount-s3)$/i

/** The kind of network file system on which a folder lies, by its type and the mounts; undefined: none. */
export function networkKind(
  type: number,
  path: string,
  readMounts: () => string,
): string | undefined {
  const unsigned = type >>> 0
  if (unsigned !== FUSE) return NETWORK_TYPES.get(unsigned)
  const kind = mountOf(path, readMounts())?.kind
  return kind !== undefined && NETWORK_PROGRAMS.test(kind) ? kind : undefined
}

/** Refuses a data folder on another machine. The folder may be missing: then its parent counts. */
export function requireLocalDisk(folder: string): void {
  // Elsewhere the types are other numbers.
  if (process.platform !== 'linux') return
  const path = nearest(resolve(folder))
  const kind = networkKind(statfsSync(path).type, path, () =>
    readFileSync('/proc/self/mountinfo', 'utf8'),
  )
  if (kind === undefined) return
  throw new RefusedError(
    'invalid',
    `The data folder ${folder} lies on a network file system (${kind}), where SQLite can lose records: its locks and its shared memory hold on one machine only. Choose a folder on a disk of this machine with --data, or store the data in PostgreSQL (storage.url).`,
  )
}

function nearest(path: string): string {
  let found = path
  while (!existsSync(found) && dirname(found) !== found) found = dirname(found)
  return realpathSync(found)
}

type Mount = { point: string; kind: string }

/** The mount of a path: the last one of those with the longest mount point (proc_pid_mountinfo(5)). */
function mountOf(path: string, mounts: string): Mount | undefined {
  let found: Mount | undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const point = unescape(before.split(' ')[4] ?? '')
    const [kind = ''] = after.split(' ')
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`)
    if (point !== '' && isAbove && point.length >= (found?.point.length ?? 0))
      found = { point, kind }
  }
  return found
}

/** Spaces, tabs, line ends and backslashes are written as `\\040` and the like. */
const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))
