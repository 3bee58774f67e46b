import type { ClockCourse } from '../../domain/time/clock-course.ts'

/** How the machine's clock has gone while the service ran, so that a jump is noticed after a restart. */
export interface ClockStore {
  /** The course and the number of its last write; undefined where none was written. */
  read(): Promise<{ course: ClockCourse; version: number } | undefined>

  /** Writes a course in the place of the one with a number, 0 for none; false where another came first. */
  write(course: ClockCourse, version: number): Promise<boolean>
}
