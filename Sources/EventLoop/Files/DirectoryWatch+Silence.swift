import CLibUV

extension DirectoryWatch {
  /// Says whether a directory lies on a file system where changes by others raise no event.
  ///
  /// Network and host-shared file systems change behind the kernel's back, so that whoever must
  /// know has to look from time to time.
  ///
  /// - Parameter directory: The directory's path.
  /// - Returns: Whether to poll. `false` too if the directory cannot be examined.
  public static func isSilent(directory: String) -> Bool {
    #if os(Linux)
      silentFileSystems.contains(clibuv_file_system_magic(directory))
    #else
      false
    #endif
  }

  #if os(Linux)
    /// Magic numbers from statfs(2) and the kernel's magic.h.
    ///
    /// Overlay, where containers live, is not among them: writers in the same mount raise events
    /// (measured on Linux 6.18, also for files of the lower layer), and writers that go past the
    /// mount cannot share a database, since locks do not reach across it.
    private static let silentFileSystems: Set<Int64> = [
      0x6969,  // NFS
      0x517B, 0xFE53_4D42, 0xFF53_4D42,  // SMB, SMB2, CIFS
      0x0102_1997,  // 9p
      0x6573_5546,  // FUSE, and virtiofs, which reports the same
      0x00C3_6400,  // Ceph
      0x5346_414F, 0x6B41_4653,  // AFS
      0x7375_7245,  // Coda
      0x786F_4256,  // VirtualBox shared folders
      0x7C7C_6673,  // Parallels shared folders
      0x0BD0_0BD0,  // Lustre
      0x4750_4653,  // GPFS
      0x7461_636F,  // OCFS2
      0x0116_1970,  // GFS2
    ]
  #endif
}
