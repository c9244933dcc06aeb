import CLibUV

/// The time of day, as the system's clock has it.
public enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public static var milliseconds: Int64 {
    var time = uv_timeval64_t()
    uv_gettimeofday(&time)
    return time.tv_sec * 1000 + Int64(time.tv_usec) / 1000
  }
}
