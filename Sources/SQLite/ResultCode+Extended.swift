extension ResultCode {
  /// Another process is recovering the write-ahead log.
  public static let busyRecovery = ResultCode(.busy, 1)
  /// A transaction that read before it wrote found that others have written since.
  public static let busySnapshot = ResultCode(.busy, 2)
  /// A blocking lock could not be had in time.
  public static let busyTimeout = ResultCode(.busy, 3)
  /// Reading failed.
  public static let ioErrorRead = ResultCode(.ioError, 1)
  /// A read came back with fewer bytes than asked for.
  public static let ioErrorShortRead = ResultCode(.ioError, 2)
  /// Writing failed.
  public static let ioErrorWrite = ResultCode(.ioError, 3)
  /// Flushing to the disk failed.
  public static let ioErrorSync = ResultCode(.ioError, 4)
  /// The index of a write-ahead log could not grow.
  public static let ioErrorSharedMemorySize = ResultCode(.ioError, 19)
  /// An index does not fit its table.
  public static let corruptIndex = ResultCode(.corrupt, 3)
  /// The path is a directory.
  public static let cantOpenIsDirectory = ResultCode(.cantOpen, 2)
  /// The full path of the file could not be found out.
  public static let cantOpenFullPath = ResultCode(.cantOpen, 3)
  /// The path is a symbolic link, which was not allowed.
  public static let cantOpenSymlink = ResultCode(.cantOpen, 6)
  /// The write-ahead log needs recovery, but may only be read.
  public static let readOnlyRecovery = ResultCode(.readOnly, 1)
  /// The shared memory of the write-ahead log may only be read.
  public static let readOnlyCantLock = ResultCode(.readOnly, 2)
  /// A hot journal must be rolled back, but may only be read.
  public static let readOnlyRollback = ResultCode(.readOnly, 3)
  /// The file was moved or replaced since it was opened.
  public static let readOnlyMoved = ResultCode(.readOnly, 4)
  /// The shared memory of the write-ahead log cannot be set up.
  public static let readOnlyCantInitialize = ResultCode(.readOnly, 5)
  /// The directory may only be read, so no journal can be made.
  public static let readOnlyDirectory = ResultCode(.readOnly, 6)
  /// A CHECK failed.
  public static let constraintCheck = ResultCode(.constraint, 1)
  /// A foreign key failed.
  public static let constraintForeignKey = ResultCode(.constraint, 3)
  /// A NOT NULL failed.
  public static let constraintNotNull = ResultCode(.constraint, 5)
  /// A PRIMARY KEY is taken.
  public static let constraintPrimaryKey = ResultCode(.constraint, 6)
  /// A trigger raised an error.
  public static let constraintTrigger = ResultCode(.constraint, 7)
  /// A UNIQUE value is taken.
  public static let constraintUnique = ResultCode(.constraint, 8)
  /// A rowid is taken.
  public static let constraintRowID = ResultCode(.constraint, 10)
  /// A value does not fit a column of a STRICT table.
  public static let constraintDatatype = ResultCode(.constraint, 12)

  private init(_ primary: ResultCode, _ detail: Int32) {
    self.init(rawValue: primary.rawValue | detail << 8)
  }
}
