import { asNode, type SchemaNode } from '../schemas/schema-node.ts'
import { environmentName, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'

/** Writes the sample file: every setting with its description and default. */
export function writeSample(): string {
  return `${HEAD}\n${writeSections(SETTING_NAMES, '', '')}\n`
}

/** Writes the settings of a section and of the sections within it. */
function writeSections(names: readonly SettingName[], prefix: string, indent: string): string {
  const groups = Map.groupBy(names, (name) => name.slice(prefix.length).split('.')[0] ?? '')
  return Array.from(groups, ([key, group]) => {
    const name = `${prefix}${key}`
    if (group[0] === name) return writeSetting(group[0], `${indent}`, key)
    return `${indent}${key}:\n${writeSections(group, `${name}.`, `${indent}  `)}`
  }).join('\n\n')
}

function writeSetting(name: SettingName, indent: string, key: string): string {
  const { description, default: value, schema, example }: DescribedSetting = SETTINGS[name]
  const width = LINE_LENGTH - indent.length + 2
  const comments = [
    ...wrap(description, width),
    ...describeMembers(asNode(schema).items ?? {}, width),
    environmentName(name),
  ]
  if (example !== undefined)
    comments.push('For example:', ...example.split('\n').map((line) => `  ${line}`))
  const lines = [...comments.map((line) => `# ${line}`), `${key}: ${write(value)}`]
  return lines.map((line) => `${indent}${line}`).join('\n')
}

type DescribedSetting = {
  description: string
  default: number | string | readonly unknown[]
  schema: object
  example?: string
}

/** Describes the members of a list entry, and of lists within it. */
function describeMembers({ properties = {}, required = [] }: SchemaNode, width: number): string[] {
  return Object.entries(properties).flatMap(([key, { description = '', items = {} }]) => {
    const need = required.includes(key) ? 'required. ' : ''
    const inner = describeMembers(items, width - 2)
    return [...wrap(`${key}: ${need}${description}`, width - 4), ...inner].map((line, at) =>
      at === 0 ? `- ${line}` : `  ${line}`,
    )
  })
}

/** Writes a value as YAML, texts in single quotes. */
function write(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return Array.isArray(value) ? `[${value.map(write).join(', ')}]` : JSON.stringify(value)
}

const HEAD = `# The settings of Plumbline, each with its default. Copy this file to plumbline.yaml in the data
# folder, or name it with --config or PLUMBLINE_CONFIG. A command's flag wins over the environment
# variable, the variable over this file. An unknown key is refused by name.
# Relative paths of certificates and secrets start at the folder of this file, those of ingest.folders
# at the data folder.
`

const LINE_LENGTH = 92

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
