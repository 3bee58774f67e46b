import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { needCommand, needPackages } from '../_debian.ts'
import { freePort } from '../_free-port.ts'
import { filesIn, ROOT } from '../spec/_pages.ts'
import { readSteps, type Step } from './_blocks.ts'
import { Shell, Terminal } from './_shell.ts'
import { hasPrinted, isShown } from './_shown.ts'

/** The ports of the pages; a run has others in their place, in blocks and in what they print. */
const PAGE_PORTS = ['8443', '8444', '8025', '1883', '9443', '8080']

/** A program may take this long to have an effect that a repeated block shows. */
const LONGEST_WAIT = 20_000

await needCommand('python3', 'python3')
await needCommand('curl', 'curl')
await needCommand('mosquitto', 'mosquitto')
await needCommand('nginx', 'nginx')
await needPackages('python3-aiosmtpd', 'mosquitto-clients')

const TUTORIAL = 'docs/tutorial.md'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plumbline-pages-')))
const bin = join(folder, '.bin')
mkdirSync(bin)
symlinkSync(join(ROOT, 'service/bin/plumbline.js'), join(bin, 'plumbline'))

const ports = new Map<string, string>()
for (const port of PAGE_PORTS) ports.set(port, String(await freePort()))
const pagePorts = new Map(Array.from(ports, ([page, own]) => [own, page]))
const swap = (text: string, names: ReadonlyMap<string, string>) =>
  text.replaceAll(/\b\d{4,5}\b/g, (port) => names.get(port) ?? port)

const environment = {
  ...process.env,
  PATH: [bin, dirname(process.execPath), '/usr/sbin', '/usr/bin', process.env['PATH']].join(
    delimiter,
  ),
  PLUMBLINE_HTTP_HOST: '127.0.0.1',
  PLUMBLINE_HTTP_PORT: ports.get('8443'),
  PLUMBLINE_OPS_PORT: ports.get('8444'),
  LC_ALL: 'C.UTF-8',
}

const terminals = new Map<string, Terminal>()
let place = folder

after(async () => {
  for (const terminal of terminals.values()) await terminal[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test(`every block of ${TUTORIAL} works and prints what the page shows`, async (t) => {
  await using shell = new Shell({ folder, environment })

  await follow(TUTORIAL, shell, t)
})

for (const guide of filesIn('docs/guides/*.md').toSorted())
  test(`every block of ${guide} works after the tutorial and prints what the page shows`, async (t) => {
    await using shell = new Shell({ folder: place, environment })
    // A terminal of its own, as of a reader who comes back on another day.
    await shell.run('. ./bridge.env')

    await follow(guide, shell, t)
  })

async function follow(page: string, shell: Shell, t: TestContext): Promise<void> {
  for (const step of readSteps(page)) {
    if (step.kind === 'skip') t.diagnostic(`not run: ${step.place}: ${step.why}`)
    else await take(step, shell)
  }
}

async function take(step: Exclude<Step, { kind: 'skip' }>, shell: Shell): Promise<void> {
  const text = swap(step.text, ports)
  if (step.kind === 'file') {
    const path = join(place, step.name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } else if (step.kind === 'start') await start(step, text)
  else await run(step, text, shell)
}

async function start(step: Step & { kind: 'start' }, text: string): Promise<void> {
  await terminals.get(step.terminal)?.[Symbol.asyncDispose]()
  const terminal = new Terminal(text, { folder: place, environment })
  terminals.set(step.terminal, terminal)
  const { shown } = step
  if (shown === undefined) return
  await terminal.waitFor((printed) => hasPrinted(shown, swap(printed, pagePorts)))
}

async function run(step: Step & { kind: 'run' }, text: string, shell: Shell): Promise<void> {
  const end = performance.now() + LONGEST_WAIT
  for (;;) {
    const printed = swap(await shell.run(text, { mayFail: step.isRepeated }), pagePorts)
    place = (await shell.run('pwd')).trim()
    const isGood = step.shown === undefined || isShown(step.shown, printed)
    if (!isGood && step.isRepeated && performance.now() < end) {
      await wait(100)
      continue
    }
    assert.ok(
      isGood,
      `${step.place} shows\n${step.shown?.text}\nand its block has printed\n${printed}`,
    )
    return
  }
}
