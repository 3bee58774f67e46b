import type { Database } from 'better-sqlite3'
import { joinContent } from '../../../domain/alarms/content-template.ts'

/** Makes `content_contains(template, numbers, keyword)` known to a connection. */
export function knowContentContains(database: Database): void {
  const options = { deterministic: true, directOnly: true }
  database.function('content_contains', options, (template, numbers, keyword) =>
    Number(
      joinContent({ template: String(template), numbers: String(numbers) }).includes(
        String(keyword),
      ),
    ),
  )
}
