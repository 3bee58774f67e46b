import { textOf } from '../spec/_pages.ts'

/** A block of code of a page, with what the words behind its language say about it. */
export type Block = {
  language: string
  /** The file that holds it. */
  title?: string
  /** The terminal in which it keeps running. */
  terminal?: string
  /** Why the tests do not run it. */
  skip?: string
  /** Whether it is repeated until it prints what the page shows. */
  isRepeated: boolean
  text: string
  place: string
}

/** What a test does with a page, in order. */
export type Step =
  | { kind: 'file'; name: string; text: string; place: string }
  | { kind: 'run'; text: string; shown: Block | undefined; isRepeated: boolean; place: string }
  | { kind: 'start'; terminal: string; text: string; shown: Block | undefined; place: string }
  | { kind: 'skip'; why: string; place: string }

const PRINTED = new Set(['text', 'json'])

/** The steps of a page of the checkout. */
export const readSteps = (path: string): Step[] => toSteps(textOf(path), path)

/** The steps of a page; every block has to be one, or belong to one. */
export function toSteps(page: string, path: string): Step[] {
  const steps: Step[] = []
  let last: Step | undefined
  for (const block of readBlocks(page, path)) {
    const step = toStep(block)
    if (step !== undefined) steps.push(step)
    else if ((last?.kind === 'run' || last?.kind === 'start') && last.shown === undefined)
      last.shown = block
    else throw new Error(`${block.place}: say with title, terminal or skip what this block is`)
    last = step
  }
  return steps
}

function toStep({ language, title, terminal, skip, isRepeated, text, place }: Block) {
  if (skip !== undefined) return { kind: 'skip', why: skip, place } as const
  if (title !== undefined) return { kind: 'file', name: title, text, place } as const
  if (terminal !== undefined)
    return { kind: 'start', terminal, text, shown: undefined, place } as Step
  if (language === 'sh') return { kind: 'run', text, shown: undefined, isRepeated, place } as Step
  if (PRINTED.has(language)) return undefined
  throw new Error(`${place}: say with title or skip what this block is`)
}

function readBlocks(page: string, path: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [index, line] of page.split('\n').entries()) {
    const info = /^```(.*)$/.exec(line)?.[1]
    if (info === undefined) {
      if (open) open.text += `${line}\n`
    } else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { ...readInfo(info), text: '', place: `${path}:${index + 1}` }
  }
  return blocks
}

function readInfo(info: string): Omit<Block, 'text' | 'place'> {
  const [language = '', ...words] = info.split(' ')
  const given = Array.from(
    info.matchAll(/ (title|terminal|skip)="([^"]*)"/g),
    ([, name, value]) => [name, value],
  )
  return { language, isRepeated: words.includes('repeat'), ...Object.fromEntries(given) }
}
