import { AuditChain } from '../domain/access/audit-hash.ts'
import { DamageError } from '../errors/damage-error.ts'
import { auditCsv } from '../encodings/audit-csv.ts'
import type { Storage } from '../storage/storage.ts'
import {
  chooseSubcommand,
  printResult,
  UsageError,
  type Command,
  type CommandContext,
} from './command.ts'
import { openStorage } from './open.ts'
import { formatTable, showMoment } from './table.ts'

const PAGE = 1000

const LIST_MAXIMUM = 100

export const audit: Command = {
  summary: 'list, verify and export the audit log',
  usage: 'plumbline audit list | verify [--kept NUMBER:HASH] | export  [--json]',
  help: `The audit log has a line for every change by the console, an application or a command. Its lines are
numbered from 1 and chained by hashes.

  list     list the last ${LIST_MAXIMUM} lines, newest first
  verify   check that no line is missing or was changed; prints the number and hash of the last one.
           Keep them elsewhere: whoever can write to the database can cut off the end.
           With --kept it also checks that the line of that number still has that hash.
  export   print all lines as CSV, newest first

  --kept NUMBER:HASH   a line that an earlier verify printed, such as 17:9f3c…
  --json               print JSON`,
  options: { json: { type: 'boolean' }, kept: { type: 'string' } },
  subcommands: ['list', 'verify', 'export'],

  async run(context) {
    const run = chooseSubcommand(ACTIONS, context)
    await using storage = await openStorage(context)
    await run(storage, context)
  },
}

const ACTIONS: Record<string, (storage: Storage, context: CommandContext) => Promise<void>> = {
  async list(storage, { flags, print }) {
    const lines = await storage.audit.list({ limit: LIST_MAXIMUM })
    if (flags['json'] === true) return print(JSON.stringify(lines))
    if (lines.length === 0) return print('The audit log has no lines.')
    const rows = lines.map(({ seq, at, who, address, operation, target, outcome }) => [
      String(seq),
      showMoment(at),
      who.kind,
      who.name,
      address ?? '',
      operation,
      target ?? '',
      outcome,
    ])
    const head = ['number', 'time', 'kind', 'who', 'address', 'operation', 'target', 'outcome']
    for (const line of formatTable(head, rows)) print(line)
  },

  async verify(storage, context) {
    const kept = readKept(context.flags['kept'])
    const chain = new AuditChain()
    while (true) {
      const { seq } = chain.end
      // Nothing stands before the first line.
      const lines = await storage.audit.from(seq === 0 ? Number.MIN_SAFE_INTEGER : seq + 1, PAGE)
      for (const line of lines) {
        const problem = chain.follow(line)
        if (problem !== undefined) throw new DamageError(problem)
        if (line.seq === kept?.seq && line.hash !== kept.hash)
          throw new DamageError(
            `Line ${line.seq} of the audit log has another hash than the one that was kept: the log was written anew.`,
          )
      }
      if (lines.length < PAGE) break
    }
    const { seq, hash } = chain.end
    if (kept !== undefined && seq < kept.seq)
      throw new DamageError(
        `The audit log ends with line ${seq}, and line ${kept.seq} was kept: its end was cut off.`,
      )
    if (seq === 0 && (await storage.accounts.list()).length > 0)
      throw new DamageError(
        'The audit log has no lines, but there are accounts, each of which has left one: it was emptied.',
      )
    printResult(context, { lines: seq, hash }, [
      `Checked ${seq} lines of the audit log: no errors. The last one has the hash ${hash}.`,
    ])
  },

  async export(storage, { output }) {
    for await (const text of auditCsv((page) => storage.audit.list(page))) output.write(text)
  },
}

/** A number and hash as `verify` prints them. */
function readKept(flag: unknown): { seq: number; hash: string } | undefined {
  if (typeof flag !== 'string') return undefined
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(flag.trim()) ?? []
  if (seq === undefined || hash === undefined)
    throw new UsageError(
      `--kept is "${flag}", expected the number and the hash of a line, such as 17:9f3c… with 64 hexadecimal digits`,
    )
  return { seq: Number(seq), hash: hash.toLowerCase() }
}
