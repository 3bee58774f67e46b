import { format, resolveConfig } from 'prettier'
import { writeCommandsPage } from './commands-page.ts'
import { writeSettingsPage } from './settings-page.ts'

/** The generated pages, formatted as all others. */
export const formatPages = async (): Promise<{ path: string; text: string }[]> => [
  await formatPage('docs/commands.md', await writeCommandsPage()),
  await formatPage('docs/settings.md', writeSettingsPage()),
]

async function formatPage(path: string, text: string): Promise<{ path: string; text: string }> {
  const options = await resolveConfig(new URL(`../../${path}`, import.meta.url))
  return { path, text: await format(text, { ...options, parser: 'markdown' }) }
}
