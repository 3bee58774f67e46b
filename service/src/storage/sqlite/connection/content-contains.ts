import type { Database } from 'better-sqlite3'
import { joinContent } from '../../../domain/alarms/content-template.ts'

/** Registers `content_contains(template, numbers, keyword)` with a connection. */
export function registerContentContains(database: Database): void {
  const options = { deterministic: true, directOnly: true }
  database.function('content_contains', options, (template, numbers, keyword) =>
    Number(
      joinContent({ template: String(template), numbers: String(numbers) }).includes(
        String(keyword),
      ),
    ),
  )
}
