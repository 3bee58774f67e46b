import { environmentName } from '../config/settings.ts'
import type { ListeningSettings } from '../startup/listening.ts'

type MachineError = {
  code?: unknown
  message: string
  syscall?: unknown
  settings?: ListeningSettings
}

/** What names the port or the address of a server that cannot listen. */
function chooseWith({ settings = 'http' }: MachineError, name: 'host' | 'port'): string {
  const variable = environmentName(`${settings}.${name}`)
  return settings === 'http' ? `--${name} or ${variable}` : variable
}

/** What fails on a machine, by the beginnings of error codes, with what an operator can do. */
const REMEDIES: readonly [codes: RegExp, says: (error: MachineError) => string][] = [
  [
    /^EADDRINUSE$/,
    (error) =>
      `${error.message}: another program, perhaps another Plumbline, listens there. Choose another port with ${chooseWith(error, 'port')}.`,
  ],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/,
    (error) =>
      `${error.message}: this machine does not have that address. Choose another with ${chooseWith(error, 'host')}.`,
  ],
  [
    /^listen EACCES$/,
    (error) =>
      `${error.message}: this user may not listen there. Choose a port from 1024 on with ${chooseWith(error, 'port')}.`,
  ],
  [
    /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMOPEN|SQLITE_IOERR_SHMSIZE)$/,
    ({ message }) => `${message}: the disk or the quota is full. Free some space, then try again.`,
  ],
  [
    /^(EACCES|EPERM|EROFS|SQLITE_READONLY\w*|SQLITE_CANTOPEN\w*|SQLITE_PERM)$/,
    ({ message }) => `${message}: choose a data folder with --data where this user may write.`,
  ],
  [
    /^(EEXIST|ENOTDIR)$/,
    ({ message }) => `${message}: a file is where a folder must be. Choose another with --data.`,
  ],
  [
    /^(EMFILE|ENFILE)$/,
    ({ message }) =>
      `${message}: too many files are open. Raise the limit: "ulimit -n", or LimitNOFILE= of systemd.`,
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    ({ message }) =>
      `${message}: another process has kept the database for longer than ten seconds. Try again when it is done.`,
  ],
  [
    /^(SQLITE_CORRUPT|SQLITE_NOTADB)/,
    ({ message }) =>
      `${message}: the database file is damaged. "plumbline doctor" says where; restore it from a backup.`,
  ],
  [
    /^(EIO|SQLITE_IOERR)/,
    ({ message, code }) =>
      `${message} (${String(code)}): the disk failed. Look into the log of the operating system.`,
  ],
  [/^(ENOMEM|SQLITE_NOMEM)/, ({ message }) => `${message}: the machine has no memory left.`],
]

/** A failure of the machine in words an operator can act on; undefined for any other error. */
export function explainMachineError(error: MachineError): string | undefined {
  const isBarred = error.syscall === 'listen' && error.code === 'EACCES'
  const code = isBarred ? 'listen EACCES' : String(error.code)
  const [, says] = REMEDIES.find(([codes]) => codes.test(code)) ?? []
  return says?.(error)
}
