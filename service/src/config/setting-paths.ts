import { resolve } from 'node:path'
import { isObject } from '../json/is-object.ts'
import { asNode, type SchemaNode } from '../schemas/schema-node.ts'
import { SETTINGS, type SettingName } from './settings.ts'

/** A value of a setting with the files that it names as absolute paths; relative ones are in `folder`. */
export function resolvePaths(name: SettingName, value: unknown, folder: string): unknown {
  const { schema }: { schema: object } = SETTINGS[name]
  return resolveIn(asNode(schema), value, folder)
}

function resolveIn(node: SchemaNode, value: unknown, folder: string): unknown {
  if (node.namesFile === true)
    return typeof value === 'string' && value !== '' ? resolve(folder, value) : value
  if (Array.isArray(value)) return value.map((one) => resolveIn(node.items ?? {}, one, folder))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      resolveIn(node.properties?.[key] ?? {}, inner, folder),
    ]),
  )
}

/** The files that a setting names, each with its place, such as `notifications.mail[0].ca`. */
export function filesOf(name: SettingName, value: unknown): [place: string, file: string][] {
  const { schema }: { schema: object } = SETTINGS[name]
  return filesIn(asNode(schema), value, name)
}

function filesIn(node: SchemaNode, value: unknown, place: string): [string, string][] {
  if (node.namesFile === true)
    return typeof value === 'string' && value !== '' ? [[place, value]] : []
  if (Array.isArray(value))
    return value.flatMap((one, at) => filesIn(node.items ?? {}, one, `${place}[${at}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    filesIn(node.properties?.[key] ?? {}, inner, `${place}.${key}`),
  )
}
