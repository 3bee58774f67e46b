/** The section of a version of `CHANGELOG.md`; what is not released yet where there is none. */
export function changelogSection(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m)
  const find = (name: string) => sections.find((one) => one.startsWith(`## [${name}]`))
  const section = find(version) ?? find('Unreleased')
  if (section === undefined)
    throw new Error(`CHANGELOG.md has neither a section [${version}] nor [Unreleased].`)
  return `${section.trim()}\n`
}
