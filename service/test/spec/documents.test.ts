import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { environmentName, SETTING_NAMES } from '../../src/config/settings.ts'
import { filesIn, readPages, ROOT, textOf, type Named } from './_pages.ts'

const pages = readPages()
const codes = pages.flatMap((page) => page.codes)

/** What is named and does not exist, each with its place. */
const wrong = (named: readonly Named[], exists: (name: string) => boolean): string[] =>
  named.filter(({ name }) => !exists(name)).map(({ name, place }) => `${place}: ${name}`)

const named = (pattern: RegExp, among: readonly Named[] = codes): Named[] =>
  among.flatMap(({ name, place }) =>
    Array.from(name.matchAll(pattern), ([whole, part]) => ({ name: part ?? whole, place })),
  )

const isThere = (path: string): boolean => existsSync(join(ROOT, path))

test('every link of a page leads to a file and a heading of it', () => {
  const headings = new Map(pages.map((page) => [page.path, new Set(page.headings)]))
  const links = pages.flatMap(({ path, links }) =>
    links
      .filter(({ name }) => !/^[a-z]+:/.test(name))
      .map(({ name, place }) => {
        const [file = '', anchor] = name.split('#')
        return { place, name, anchor, target: file === '' ? path : join(dirname(path), file) }
      }),
  )

  assert.ok(links.length > 100)
  assert.deepEqual(
    links
      .filter(({ target, anchor }) =>
        anchor === undefined ? !isThere(target) : headings.get(target)?.has(anchor) !== true,
      )
      .map(({ place, name }) => `${place}: ${name}`),
    [],
  )
})

test('every file that a page names exists', () => {
  const rooms = 'service/src/'
  const full = named(/\b(?:service|contract|client|bench|scripts|docs|examples)\/[\w./-]*[\w/]/g)
  const inRooms = named(
    /^(?!(?:service|contract|client|bench)\/)(?:[\w-]+\/)+[\w.-]+\.ts$/g,
  ).filter(({ name, place }) =>
    ['', rooms, `${dirname(place)}/`].every((folder) => !isThere(folder + name)),
  )

  assert.ok(full.length > 10)
  assert.deepEqual([...wrong(full, isThere), ...wrong(inRooms, () => false)], [])
})

test('the architecture page names every room once, and only paths that exist', () => {
  const { codes: spans = [] } = pages.find(({ path }) => path === 'docs/architecture.md') ?? {}
  const [, table = ''] =
    /## Rooms of [^]*?\n\n([^]*?)\n\n/.exec(textOf('docs/architecture.md')) ?? []
  const listed = Array.from(table.matchAll(/^\| `([a-z.]+)`/gm), ([, room = '']) => room)
  const rooms = readdirSync(`${ROOT}service/src`)

  assert.deepEqual(listed.toSorted(), rooms.toSorted())
  assert.deepEqual(
    wrong(named(/^[a-z-]+(?:\/[\w.-]+)+$/g, spans), (path) =>
      [path, `service/src/${path}`].some(isThere),
    ),
    [],
  )
})

test('every page that a source names exists', () => {
  const sources = filesIn('{contract,service,client,bench,scripts}/**/*.ts')
    .filter((path) => !path.includes('/test/spec/'))
    .map((path) => ({ name: textOf(path), place: path }))

  assert.deepEqual(wrong(named(/\bdocs\/[\w/-]+\.(?:md|json|yaml)/g, sources), isThere), [])
})

/** The help of each command by its name. */
const helps = new Map<string, string>()
for (const [, name = ''] of (await printed(['help'])).matchAll(/^ {2}([a-z]+) {3,}/gm))
  helps.set(name, await printed([name, '--help']))

test('every command, action and flag that a page names exists, and every command is named', () => {
  const calls = named(/(?:^|[ (])(?<!exec )plumbline ((?:[a-z]+\b)(?![/.:])[^#|]*)/g)
  const wrongCalls = calls.filter(({ name }) => !isCall(name))
  const isNamed = (command: string) => calls.some(({ name }) => name.split(' ')[0] === command)

  assert.ok(helps.size > 15)
  assert.deepEqual(
    wrongCalls.map(({ name, place }) => `${place}: plumbline ${name}`),
    [],
  )
  assert.deepEqual(
    [...helps.keys()].filter((command) => !isNamed(command)),
    [],
  )
})

test('every setting and variable that a page names exists', () => {
  const sections = [...new Set(SETTING_NAMES.map((name) => name.split('.')[0]))].join('|')
  const settings = named(new RegExp(`^((?:${sections})(?:\\.[a-z]\\w*)+)(?=$|[:=* ])`, 'gi'))
  const sources = filesIn('service/src/**/*.ts').map(textOf).join('')
  const isVariable = (name: string) =>
    SETTING_NAMES.some((setting) => environmentName(setting) === name) ||
    sources.includes(`'${name}'`) ||
    codes.some((code) => code.name.includes(`${name}=`) || code.name.includes(`{${name}}`))

  assert.ok(settings.length > 40)
  assert.deepEqual(wrong(settings, isSetting), [])
  assert.deepEqual(wrong(named(/\bPLUMBLINE_[A-Z_]+[A-Z]\b/g), isVariable), [])
})

test('every metric that a page names exists, and every role of the database', () => {
  const sources = filesIn('service/src/**/*.ts').map(textOf).join('')
  const roles = new Set(textOf('docs/postgres/roles.sql').match(/(?<=create role )\w+/g))
  const register = new Registry()
  collectDefaultMetrics({ register, prefix: 'plumbline_' })
  const ofProcess = new Set(register.getMetricsAsArray().map(({ name }) => name))

  assert.deepEqual(
    wrong(
      named(/\bplumbline_\w+[a-z]\b/g),
      (name) => roles.has(name) || ofProcess.has(name) || namesMetric(sources, name),
    ),
    [],
  )
})

/** Whether a name is that of a setting or of a section of settings. */
const isSetting = (name: string): boolean =>
  SETTING_NAMES.some((setting) => setting === name || setting.startsWith(`${name}.`))

/** Whether `maintenance end 1 --json` is what a command takes: its name, its action and its flags. */
function isCall(call: string): boolean {
  const [command = '', action = ''] = call.split(' ')
  const help = helps.get(command)
  if (help === undefined) return false
  const usage = help.slice(0, help.indexOf('\n')).replace(`usage: plumbline ${command} `, '')
  const actions = usage.split(' | ').map((part) => part.split(' ')[0] ?? '')
  const takesAction = /^[a-z]+$/.test(actions[0] ?? '')
  const flags = Array.from(call.matchAll(/ (--[a-z-]+)/g), ([, flag = '']) => flag)
  return (
    flags.every((flag) => help.includes(`${flag} `) || help.includes(`${flag},`)) &&
    (!takesAction || !/^[a-z]+$/.test(action) || actions.includes(action))
  )
}

/** Whether sources have a metric, by its whole name or by a prefix and the rest: `plumbline_folder_${name}`. */
const namesMetric = (sources: string, name: string): boolean =>
  sources.includes(name) ||
  Array.from(name.matchAll(/_/g), ({ index }) => index + 1).some(
    (end) =>
      sources.includes(`${name.slice(0, end)}\${`) && sources.includes(`'${name.slice(end)}'`),
  )

async function printed(args: readonly string[]): Promise<string> {
  const lines: string[] = []
  await runCommandLine(args, {
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    printError: (line) => void lines.push(line),
    output: process.stdout,
  })
  return lines.join('\n')
}
