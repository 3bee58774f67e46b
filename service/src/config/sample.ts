import { environmentName, SETTING_NAMES, SETTINGS } from './settings.ts'

/** The sample file: every setting with its default, and so the reference manual. */
export function writeSample(): string {
  const sections = Map.groupBy(SETTING_NAMES, (name) => name.split('.')[0] ?? '')
  const blocks = Array.from(sections, ([section, names]) => {
    const settings = names.map((name) => {
      const { default: value, description } = SETTINGS[name]
      const key = name.slice(section.length + 1)
      return [
        ...wrap(description).map((line) => `  # ${line}`),
        `  # ${environmentName(name)}`,
        `  ${key}: ${write(value)}`,
      ].join('\n')
    })
    return `${section}:\n${settings.join('\n\n')}`
  })
  return `${HEAD}\n${blocks.join('\n\n')}\n`
}

/** As this repository writes YAML: texts in single quotes. */
const write = (value: number | string | readonly string[]): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value)

const HEAD = `# The settings of Plumbline, each with its default. Copy this file to plumbline.yaml in the data
# folder, or name it with --config or PLUMBLINE_CONFIG. A command's flag wins over the environment
# variable, the variable over this file. A key that is not known is refused by name.
`

const LINE_LENGTH = 92

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= LINE_LENGTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
