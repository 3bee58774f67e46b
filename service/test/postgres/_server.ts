import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { appendFile, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { QueryResultRow } from 'pg'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_free-port.ts'
import { queryAsSuperuser, type ServerAddress } from './_client.ts'
import { createDatabase, createNamed, newPassword, urlOf, type Database } from './_database.ts'
import { removeLock, untilReady } from './_lock-file.ts'
import { haltFamily, isAlive, signal, untilGone } from './_processes.ts'
import { ENVIRONMENT, Programs } from './_programs.ts'
import { DURABLE_OFF, INITDB, serverArguments, type Settings } from './_settings.ts'

const SUPERVISE = fileURLToPath(new URL('_supervise.sh', import.meta.url))

const END_SECONDS = 60

export type ServerOptions = {
  /** A commit is on the disk before it is answered, as PostgreSQL does unless told otherwise. */
  durable?: boolean | undefined
  /** More settings of PostgreSQL, by name. */
  options?: Settings | undefined
  /** The process with which the server ends; ours unless another is named. */
  run?: number | undefined
}

type Parts = ServerAddress & {
  programs: Programs
  run: number
  settings: Settings
  /** Of the role `plumbline`. */
  password: string
  primary?: PostgresServer
}

/** A PostgreSQL server of its own, in a folder and on a port of its own, with one database. */
export class PostgresServer implements ServerAddress, AsyncDisposable {
  readonly folder: string
  readonly port: number
  readonly #parts: Parts
  #pid: number | undefined

  private constructor(parts: Parts) {
    this.folder = parts.folder
    this.port = parts.port
    this.#parts = parts
    process.once('exit', this.#removeAtExit)
  }

  /** Makes a server with an empty database, and starts it. */
  static async create({ durable, options, run }: ServerOptions = {}): Promise<PostgresServer> {
    const programs = await Programs.find()
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      new PostgresServer({
        folder: await programs.makeFolder(),
        port: await freePort(),
        programs,
        run: run ?? process.pid,
        settings: { ...(durable === true ? {} : DURABLE_OFF), ...options },
        password: newPassword(),
      }),
    )
    await programs.run(server.folder, 'initdb', `--pgdata=${server.#data}`, ...INITDB)
    await server.start()
    await createNamed(server, server.#database)
    stack.move()
    return server
  }

  /** The address of its database, for the ordinary role that owns it. */
  get url(): string {
    return urlOf(this, this.#database)
  }

  get isRunning(): boolean {
    return this.#pid !== undefined && isAlive(this.#pid)
  }

  get pid(): number {
    if (this.#pid === undefined || !this.isRunning)
      throw new Error(`The PostgreSQL in ${this.folder} does not run.`)
    return this.#pid
  }

  /** Everything it has logged. */
  log(): Promise<string> {
    return readFile(this.#logFile, 'utf8')
  }

  /** Starts it over the data it has, on its port, and waits until it takes connections. */
  async start(): Promise<void> {
    if (this.isRunning) return
    const { folder, programs, run, settings } = this.#parts
    const args = ['-D', this.#data, ...serverArguments(this, settings)]
    const command = programs.command('postgres', args)
    await using log = await open(this.#logFile, 'a')
    const supervisor = spawn('bash', [SUPERVISE, String(run), folder, ...command], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: ENVIRONMENT,
    })
    supervisor.unref()
    this.#pid = await untilReady(this.#data, supervisor)
    if (this.#pid === undefined) throw new Error(`PostgreSQL does not start: ${await this.#end()}`)
  }

  /** Ends it in order: what clients are doing is rolled back. */
  async stop(): Promise<void> {
    if (!this.isRunning) return
    const { pid } = this
    signal(pid, 'SIGINT')
    await untilGone([pid], END_SECONDS)
  }

  /** Ends all its processes at once, in the middle of anything. */
  async kill(): Promise<void> {
    const processes = haltFamily(this.pid)
    signal(processes, 'SIGKILL')
    await untilGone(processes, END_SECONDS)
    await removeLock(this.#data)
  }

  /** Halts all its processes: clients can connect, and wait for an answer. */
  pause(): void {
    signal(haltFamily(this.pid), 'SIGSTOP')
  }

  /** Lets what was paused go on. */
  resume(): void {
    signal(haltFamily(this.pid).toReversed(), 'SIGCONT')
  }

  /** Another empty database, with a role of its own. */
  newDatabase(): Promise<Database> {
    return createDatabase(this)
  }

  /** The rows of a statement that the superuser runs. */
  query<Row extends QueryResultRow>(statement: string): Promise<Row[]> {
    return queryAsSuperuser<Row>(this, statement)
  }

  /**
   * Makes a server that follows this one; from then on a commit here waits until it is on the disk
   * of that one, too. It is promoted by `promote`; when it is disposed of, nobody waits any longer.
   */
  async standby(): Promise<PostgresServer> {
    const { programs } = this.#parts
    const folder = await programs.makeFolder()
    await using stack = new AsyncDisposableStack()
    const standby = stack.use(
      new PostgresServer({ ...this.#parts, folder, port: await freePort(), primary: this }),
    )
    const source = `host=${this.folder} port=${this.port} user=postgres application_name=standby`
    const copy = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
    await programs.run(
      folder,
      'pg_basebackup',
      `--pgdata=${standby.#data}`,
      `--dbname=${source}`,
      ...copy,
    )
    await standby.start()
    await this.#waitFor('standby')
    await eventually(async () => {
      const [sender] = await this.query('select sync_state from pg_stat_replication')
      if (sender?.['sync_state'] !== 'sync') throw new Error(`no standby: ${await standby.log()}`)
    })
    stack.move()
    return standby
  }

  /** Makes a standby a server that writes. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(wait => true)')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) {
      const { pid } = this
      signal(pid, 'SIGQUIT')
      // A paused server does not see that it is to end.
      signal(haltFamily(pid), 'SIGCONT')
      await untilGone([pid], END_SECONDS)
    }
    const { primary } = this.#parts
    if (primary !== undefined) await primary.#waitFor('')
    await rm(this.folder, { recursive: true, force: true })
    process.off('exit', this.#removeAtExit)
  }

  get #database() {
    return { name: 'plumbline', password: this.#parts.password }
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  get #logFile(): string {
    return join(this.folder, 'log')
  }

  async #end(): Promise<string> {
    return (await this.log()).trimEnd().split('\n').slice(-5).join('\n')
  }

  /** Names the standby that commits wait for; a paused server takes notice when it goes on. */
  async #waitFor(standby: string): Promise<void> {
    const file = join(this.#data, 'postgresql.auto.conf')
    if (!existsSync(file)) return
    await appendFile(file, `synchronous_standby_names = '${standby}'\n`)
    if (this.isRunning) signal(this.pid, 'SIGHUP')
  }

  /** The supervisor of a server that runs deletes the folder; one that was ended has none. */
  readonly #removeAtExit = (): void => {
    if (!this.isRunning) rmSync(this.folder, { recursive: true, force: true })
  }
}
