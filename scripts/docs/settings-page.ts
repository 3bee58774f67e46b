import { environmentName, SETTING_NAMES, SETTINGS } from '../../service/src/config/settings.ts'
import { asNode, type SchemaNode } from '../../service/src/schemas/schema-node.ts'

/** Writes the page of all settings from their table. */
export function writeSettingsPage(): string {
  const groups = Map.groupBy(SETTING_NAMES, (name) => name.split('.')[0] ?? '')
  const sections = Array.from(
    groups,
    ([section, names]) => `## ${section}\n\n${names.map(writeSetting).join('\n\n')}\n`,
  )
  return `${HEAD}\n${sections.join('\n')}`
}

const HEAD = `# Settings

Every setting with its default and its environment variable. [The sample file](plumbline.sample.yaml) has the same as a file to copy; [operating](operating.md#settings) says how flags, variables and the file go together, and \`plumbline config check\` shows what is in effect.

A relative path of a certificate, a key or a file with a secret starts at the folder of the settings file; in a flag or a variable it starts at the current folder, as it does in the parameters of \`storage.url\`. A relative \`path\` or \`mapping\` of \`ingest.folders\` starts at the data folder.
`

type Described = {
  description: string
  default: unknown
  schema: object
  example?: string
}

function writeSetting(name: (typeof SETTING_NAMES)[number]): string {
  const setting: Described = SETTINGS[name]
  const { description, default: value, schema, example } = setting
  const lines = [
    `### \`${name}\``,
    '',
    toText(description),
    '',
    `- Default: \`${write(value)}\``,
    `- Variable: \`${environmentName(name)}\``,
  ]
  const members = writeMembers(asNode(schema).items ?? {}, '  ')
  if (members.length > 0) lines.push('- Members of an entry:', ...members)
  if (example !== undefined) lines.push('', '```yaml', example, '```')
  return lines.join('\n')
}

/** The members of a list entry, and of lists within it. */
function writeMembers({ properties = {}, required = [] }: SchemaNode, indent: string): string[] {
  return Object.entries(properties).flatMap(([key, { description = '', items = {} }]) => [
    `${indent}- \`${key}\`${required.includes(key) ? ' (required)' : ''}: ${toText(description)}`,
    ...writeMembers(items, `${indent}  `),
  ])
}

/** A description as Markdown: signs that Markdown would take mean themselves. */
const toText = (text: string): string => text.replaceAll(/[*_<>[\]]/g, '\\$&')

const write = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
