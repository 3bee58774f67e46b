import { cp, lstat, mkdir, readdir } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { splitWords } from '../../scripts/read-curl.ts'
import { Machine } from './_machine.ts'

/** A line of a Dockerfile: its instruction and the rest. */
export type Step = { instruction: string; rest: string }

/** What an image has beside its files. */
export type Image = {
  base: string
  env: Record<string, string>
  user: string
  folder: string
  volumes: string[]
  ports: string[]
  entrypoint: string[]
  command: string[]
  healthCheck: string[]
}

/** Reads the lines of a Dockerfile; comments are left out. */
export const readSteps = (text: string): Step[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
      return { instruction, rest }
    })

type BuildOptions = {
  steps: readonly Step[]
  /** The folder that ADD takes files from. */
  context: string
  /** The root of the base, which the build changes. */
  root: string
  /** Values of ARG. */
  args: Record<string, string>
}

/** Does to a root what the steps say, as an engine does, and refuses a step that it does not know. */
export async function buildImage({ steps, context, root, args }: BuildOptions): Promise<Image> {
  const image: Image = {
    base: '',
    env: {},
    user: '0',
    folder: '/',
    volumes: [],
    ports: [],
    entrypoint: [],
    command: [],
    healthCheck: [],
  }
  const values: Record<string, string> = {}
  const expand = (text: string): string =>
    text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => values[name] ?? image.env[name] ?? '')
  await using machine = await Machine.start({ root })
  const instructions: Record<string, (rest: string) => void | Promise<void>> = {
    FROM: (rest) => void (image.base = rest),
    ARG(rest) {
      const [name = '', value = ''] = rest.split('=')
      values[name] = args[name] ?? splitWords(value)[0] ?? ''
    },
    ENV(rest) {
      for (const [name = '', value = ''] of rest.split(' ').map((pair) => pair.split('=')))
        image.env[name] = expand(value)
    },
    async RUN(rest) {
      const env = { ...values, ...image.env }
      const { code, stdout, stderr } = await machine.run(['sh', '-c', rest], { env })
      if (code !== 0) throw new Error(`RUN ${rest} ended with ${code}: ${stdout}${stderr}`)
    },
    async ADD(rest) {
      const [from = '', to = ''] = expand(rest).split(' ')
      await add(join(context, from), join(root, to))
    },
    USER: (rest) => void (image.user = rest.split(':')[0] ?? ''),
    async WORKDIR(rest) {
      image.folder = rest
      await mkdir(join(root, rest), { recursive: true })
    },
    VOLUME: (rest) => void image.volumes.push(rest),
    EXPOSE: (rest) => void image.ports.push(rest),
    HEALTHCHECK: (rest) => void (image.healthCheck = JSON.parse(rest.split(' CMD ')[1] ?? '')),
    ENTRYPOINT: (rest) => void (image.entrypoint = JSON.parse(rest)),
    CMD: (rest) => void (image.command = JSON.parse(rest)),
  }
  for (const { instruction, rest } of steps) {
    const step = instructions[instruction]
    if (step === undefined) throw new Error(`The instruction ${instruction} is not known.`)
    await step(rest)
  }
  return image
}

/** ADD unpacks a tarball; a folder stands for one that is unpacked already. */
async function add(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  if ((await lstat(from)).isDirectory()) {
    for (const name of await readdir(from))
      await cp(join(from, name), join(to, basename(name)), {
        recursive: true,
        verbatimSymlinks: true,
      })
  } else await promisify(execFile)('tar', ['-xzf', from, '-C', to, '--no-same-owner'])
}
