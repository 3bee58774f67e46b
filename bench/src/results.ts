import { readFile, writeFile } from 'node:fs/promises'
import type { Circumstances } from './machine.ts'
import { isReached, type Finding } from './scenario.ts'

export type Section = { number: number; title: string; findings: readonly Finding[] }

export type Run = {
  circumstances: Circumstances
  loadAfter: number
  /** The options that made it another run than usual. */
  options: string
  sections: readonly Section[]
}

const FILE = new URL('../results.md', import.meta.url)
const FIRST_RUN = '\n## '

/** The run as Markdown: of each scenario what has a target or is a ratio, then the rest. */
export function formatRun({ circumstances, loadAfter, options, sections }: Run): string {
  const { date, cpu, cores, node, commit, load } = circumstances
  const lines = [
    `## ${date} UTC, commit ${commit}${options === '' ? '' : `, ${options}`}`,
    '',
    `${cpu}, ${cores} cores, Node ${node}; load average before ${load.toFixed(1)}, after ${loadAfter.toFixed(1)}.`,
  ]
  for (const { number, title, findings } of sections) {
    lines.push('', `### ${number}. ${title}`, '', '| | figure | rounds | target | |')
    lines.push('|---|---:|---|---|---|')
    lines.push(...findings.filter(isFirst).map(formatFinding))
    lines.push(...findings.filter((finding) => !isFirst(finding)).map(formatFinding))
  }
  return `${lines.join('\n')}\n`
}

const isFirst = ({ target, unit }: Finding): boolean => target !== undefined || unit === undefined

function formatFinding(finding: Finding): string {
  const { what, value, unit = '', range, target } = finding
  const cells = [
    what,
    `${formatNumber(value)} ${unit}`.trim(),
    range === undefined ? '' : range.map(formatNumber).join(' to '),
    target === undefined ? '' : formatTarget(target),
    { true: 'reached', false: '**not reached**', undefined: '' }[String(isReached(finding))] ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

const formatTarget = (target: NonNullable<Finding['target']>): string =>
  'atLeast' in target ? `≥ ${formatNumber(target.atLeast)}` : `≤ ${formatNumber(target.atMost)}`

function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** Puts a run on top of the earlier ones. */
export async function keepRun(run: Run): Promise<void> {
  const text = await readFile(FILE, 'utf8')
  const at = text.indexOf(FIRST_RUN)
  const [head, earlier] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)]
  await writeFile(FILE, `${head.trimEnd()}\n\n${formatRun(run)}${earlier}`)
}
