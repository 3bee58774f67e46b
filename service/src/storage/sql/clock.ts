import type { SqlEngine } from './engine.ts'
import type { ClockCourse } from '../../domain/time/clock-course.ts'
import type { ClockStore } from '../storage.ts'

export function clockStore({ all, write }: SqlEngine): ClockStore {
  return {
    async read() {
      const sql = `select version, course from clock_course`
      const [row] = await all<{ version: number; course: string }>({ sql, parameters: [] })
      return row && { version: row.version, course: JSON.parse(row.course) as ClockCourse }
    },

    async write(course, version) {
      const [outcome] = await write([
        {
          sql: `insert into clock_course (id, version, course) values (1, ? + 1, ?)
            on conflict (id) do update set version = excluded.version, course = excluded.course
            where clock_course.version = ?`,
          width: 3,
          values: [version, JSON.stringify(course), version],
        },
      ])
      return outcome?.changed === 1
    },
  }
}
